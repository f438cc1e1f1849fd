"""Is a sentence supported by the passages it names?"""
