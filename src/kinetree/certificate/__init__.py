"""Certificates: equations with their proof by formalisms, languages and other engines."""
