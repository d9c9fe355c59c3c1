"""What the head of a script says of it, and what only stands there."""

from __future__ import annotations

import time

import pytest

from atip.inference.script_header import MAX_HEAD, read_header
from atip.inference.summary import first_summary

LICENSE = "# Permission is hereby granted, free of charge, to any person\n# obtaining a copy.\n#\n"
SAID = [
    (
        "#!/bin/bash\n# Author:  A. Person\n#\n# File Description:\n#   Script to carry things\n#   over water.\n#\nset -e\n",
        "Script to carry things over water.",
    ),
    ("#!/bin/sh\n#!/bin/sh\n# License: GPL\n# Author: A. B.\n# Carry things over water\n# Ref: https://sea.example\n", "Carry things over water"),
    ("#!/bin/sh\n# License: GPL\n# Description: carry things,\n# people and animals\n", "carry things, people and animals"),
    ("#!/bin/sh\n# This program is used on lakes to carry things.\ntrue\n", "This program is used on lakes to carry things."),
    ("#!/bin/sh\n# boat - carry things over water\n", "carry things over water"),
    ("#!/bin/sh\n# boat.sh: carry things over water\ntrue\n", "carry things over water"),
    ("#!/usr/bin/perl -T\n#----\n# This is boat, a program to carry\n# things.\n", "a program to carry things."),
    ("#!/bin/sh\n" + LICENSE + "# This script carries things over water.\n", "This script carries things over water."),
    ("#!/usr/bin/python3\n# -*- coding: utf-8 -*-\n\"\"\"Carry things over water.\n\nMore.\n\"\"\"\n", "Carry things over water."),
    ("#!/usr/bin/perl\nuse strict;\n\n=head1 NAME\n\nB<boat> - carry things\n\n=cut\n", "carry things"),
    ("#!/usr/bin/make -rRf\n# Run the ferry of things.\n# Written by Some One.\n", "Run the ferry of things."),
    ("#!/bin/bash\n# License: GPL\n# Author: Some One\n# Description: Program to carry things\n# (1) e.g. boxes\n", "Program to carry things"),
    ("#! /usr/bin/perl\n\n# print only new boats, which are not yet known\n# (c) Some One, 2007-2018\n", "print only new boats, which are not yet known"),
    ("#!/usr/bin/python3\n\"\"\"\nboat.py\n\nboat is a script to carry things\n\"\"\"\n", "boat is a script to carry things"),
    ("#!/bin/sh\n# Carry the last thing over water.\n# Usage: boat <things>\n# WARNING: it is deep\n", "Carry the last thing over water."),
    ("#!/bin/sh\n#\n# This script recursively (from the shore on)\n# carries things.\n#\n# written by Some One <one@example.org>\n", "This script recursively (from the shore on) carries things."),
    ("#!/bin/sh\n# boat: a ferry around zboat\n# Adapted from zboat by Some One\n", "a ferry around zboat"),
]  # fmt: skip
SILENT = [
    "#!/bin/sh\n" + LICENSE,
    "#!/bin/sh\n# Copyright (C) 2020 Some One\nset -e\n# boat - carry things over water\n",
    "#!/usr/bin/python3\n# EASY-INSTALL-ENTRY-SCRIPT: 'boat==1','console_scripts','boat'\nimport re\n",
    "#!/bin/sh\n# Keep this script in sync with boat.in\n",
    "#!/bin/sh\n# Originally written by Some One <one@example.org>\n",
    "#!/usr/bin/perl\n=head1 NAME\n\nferry - something else\n",
    "# boat - carry things over water\n",
    "#!/bin/sh\n# sh is buggy on RS/6000. Replace the line above.\n",
    "#!/usr/bin/python3\n'''Fleet is a tool for many boats.'''\n",
    "#!/bin/sh\n# TODO: write this\n",
    "#!/bin/sh\n# Written by Some One\n#\n# Minimally patched to carry even more\n",
    "#!/bin/sh\n# tcl The next line is executed by /bin/sh, but not tcl \\\nexec tclsh\n",
    "",
]


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_a_head_says_what_the_script_does(text, expected):
    assert first_summary(read_header(text, "boat"), "boat") == expected


@pytest.mark.parametrize("text", SILENT)
def test_licenses_pragmas_and_comments_of_code_say_nothing(text):
    assert first_summary(read_header(text, "boat"), "boat") == ""


@pytest.mark.parametrize(
    "unit", ["#\n", "# ", "\n \n", "# a\n", "#!", '"""', "# boat boat\n", "=head1 NAME\n\n"]
)
def test_hostile_heads_are_read_in_linear_time(unit):
    text = "#!/bin/sh\n" + unit * (16 * MAX_HEAD // len(unit))
    started = time.process_time()
    list(read_header(text, "boat"))
    assert time.process_time() - started < 1.0
