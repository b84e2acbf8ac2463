"""Certificates: equations with their proof, by other formalisms, every language and other engines."""
