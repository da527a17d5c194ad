"""Recordings in motion, made from recordings of stills: real boards, real hands, invented moves."""
