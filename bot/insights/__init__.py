"""Insights: questions, their outcomes, and gaps of the documents."""
