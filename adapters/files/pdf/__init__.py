"""PDF: the characters and rules of its pages, put back into lines, tables, paragraphs, headings and lists."""
