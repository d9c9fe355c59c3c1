"""Findings: what each source said of each program, remembered, so that no program is asked twice and no scan knows less."""
