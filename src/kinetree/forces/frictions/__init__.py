"""Frictions whose force is a law: in a joint, between joints, along struts and other speeds."""
