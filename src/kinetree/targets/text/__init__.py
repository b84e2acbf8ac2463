"""What all targets that write text share: names, expressions, statements, functions, files.

A language is a row of spellings (`language.Language`); everything else is written once, here.
"""
