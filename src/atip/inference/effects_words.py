"""Words of the effects rules: verbs, flags and phrases, and what they suggest. Data.

English, lower case, one meaning per table. Used by `effects_rules.py`, which decides; nothing here
makes a command safe by itself.
"""

# ruff: noqa: SIM905 - words read better as text
from __future__ import annotations

DESTROYS = frozenset(
    "rm rmi del delete destroy drop dropdb purge prune erase wipe wipefs shred truncate flush flushall "
    "flushdb expire terminate undefine unpublish nuke obliterate unlink rmdir mkfs mkswap mke2fs format "
    "discard blank zap reset remove rb rd teardown decommission deprovision shredder empty revert rollback "
    "undo redo downgrade reimage rebuild reinitialize reinit reformat revoke forget flash flashall sanitize "
    "abandon replant fresh labelclear clear strip evict expunge unregister deregister delist scrub "
    "srm atrm ipcrm lprm qdel scancel hardreset purgeall deleteall killall reap retire vacate implode zero zeroes zeroize fdisk sfdisk cfdisk "
    "gdisk parted lvreduce".split()
)
"""Verbs whose ordinary meaning is loss."""

DESTROY_PREFIXES = (
    "delete", "destroy", "drop", "wipe", "erase", "purge", "flush", "truncate", "terminate", "mkfs",
    "remove", "unpublish", "prune", "expire", "discard", "shred", "zeroize", "rollback",
)  # fmt: skip
NOT_DESTROY = frozenset(
    "droplet droplets dropdown dropbox dropbear undelete unremove flushable".split()
)
"""Words that only look like these."""

DESTROY_PAIRS = frozenset(
    tuple(pair.split("+"))
    for pair in (
        "migrate+down migration+down migrations+down migrate+refresh snapshot+restore backup+restore "
        "backups+restore pg+restore db+restore database+restore secrets+disable kill+session kill+sessions "
        "kill+server kill+window kill+pane filter+branch filter+repo rewrite+history partition+disk "
        "random+disk schema+load lfs+migrate"
    ).split()
)
"""Two words that mean loss together, neither of them alone: a restore overwrites what is there now."""
DESTROY_SUFFIXES = ("remove", "delete", "destroy", "purge", "erase", "prune", "wipe", "discard")
"""`lvremove`, `dropDatabase`, `terminate-instances`, `userdel` are caught by these."""

CLEANS = frozenset("clean clear cleanup gc uninstall unset detach autoremove".split())
"""Removal of what is usually rebuilt or can be set again: never safe, rarely loss."""

ENDS = frozenset(
    "kill stop cancel abort close disable shutdown reboot poweroff halt restart".split()
)

HOLDS_DATA = frozenset(
    "database databases db node nodes cluster disk disks device schema keyspace volume filesystem drive "
    "datastore".split()
)
"""Objects that hold data: a reset loses it."""

ORDERS = frozenset("create launch provision run order purchase buy rent send".split())
BILLED = frozenset(
    "instance instances droplet droplets linode linodes server servers nodepool nodepools sms completions "
    "messages".split()
)
"""Things that a provider charges for; with a verb of ordering, the command costs money."""

NOUNS_TOO = frozenset(
    "backup config record script store lock bundle link patch merge commit build import checkout download "
    "clone restore".split()
)
"""Verbs of writing that are also names of things: `backup list`, `config view`."""

READS = frozenset(
    "list ls ll show get view describe status info inspect print display search find query read cat log "
    "logs diff blame whoami version help explain history top ps stat stats tail head count check verify "
    "validate lint test outdated doctor which where ping tree dump export peek watch events audit".split()
)
"""Verbs of looking. Evidence for harmlessness only together with a description that agrees."""

WRITES = frozenset(
    "create new init add write save put set edit update upgrade install import copy cp mv move rename "
    "generate gen build compile convert extract unpack download clone checkout commit merge rebase apply "
    "patch fix format render touch mkdir link restore backup record unzip untar store config configure "
    "enable sign encrypt decrypt compress bundle pack freeze lock scaffold".split()
)
RUNS = frozenset(
    "run exec execute start eval script shell invoke call trigger sh bash serve dev".split()
)
NETWORK = frozenset(
    "push pull fetch clone publish upload download login logout deploy sync release send request connect "
    "ssh curl remote api browse subscribe listen tunnel proxy invite crawl scrape mirror register".split()
)

DANGER_FLAG_WORDS = frozenset(
    "delete del hard purge wipe destroy prune drop erase clobber truncate overwrite discard zap nuke mirror "
    "remove shred format clean flush terminate vacuum".split()
)
"""Words of a flag's name that say loss, wherever they stand: `--delete-data`, `-delete`, `--zap-all`."""

CALM_FLAG_WORDS = frozenset("no not skip without keep ignore if never disable older".split())
"""A flag that starts with one of these speaks of leaving something be: `--no-clobber`."""

DANGER_FLAGS = frozenset("--force-with-lease --no-preserve-root --rm".split())
"""Flags that say loss although no word of theirs does."""

FORCE_FLAGS = frozenset(
    "--force -f -F -ff --yes-i-know --allow-destructive --unsafe --really".split()
)
WRITE_FLAGS = frozenset(
    "-o --output --out --outfile --output-file --in-place -i --fix --write -w --save --log-file "
    "--output-dir --dest --destination --inplace".split()
)
RUN_FLAGS = frozenset(
    "--exec -exec --execute -e --eval -c --command --hook --script --pre --post --cmd --run -x".split()
)
NETWORK_FLAGS = frozenset(
    "--remote --url --host --server --upload --proxy --registry --endpoint".split()
)
TELLS_FLAGS = frozenset(
    "--dry-run --dryrun --check --diff --list --preview --plan --simulate --what-if --whatif --noop "
    "--no-act --just-print --print-only --no-execute -n".split()
)
"""Flags that usually make a command tell instead of do. They never make it safe by rule; they only
take the certainty out of the alarm."""

LOSS_WORDS = frozenset(
    "delete deletes deleting destroy destroys destroying erase erases erasing wipe wipes wiping drop drops "
    "dropping discard discards discarding overwrite overwrites overwriting purge purges purging truncate "
    "truncates shred shreds terminate terminates obliterate expire expires remove removes "
    "removing prune prunes unlink permanently irreversibly irrecoverably destructive zeros".split()
)
LOSS_LEADS = frozenset("empty empties format formats clear clears flush flushes".split())
"""Verbs of loss that are ordinary words elsewhere (`Create an empty repository`): only as the lead."""

LOSS_PHRASES = (
    "throw away", "throwing away", "throws away", "is lost", "are lost", "lose ", "loses ", "rewrite history",
    "rewrite the history", "rewriting history", "rewrite the whole history", "rewrites the history",
    "for good", "and its data", "and their data", "and everything in it", "all data", "cannot be undone",
    "can not be undone", "no way back", "with zeros", "data loss", "everything was", "what was there",
    "identical to",
)  # fmt: skip
UNREAL = (
    "would ", "without deleting", "without removing", "without changing", "without destroying", "does not delete",
    "not delete", "never deletes", "keep them", "but keep", "instead of deleting", "deleted ", "removed ",
    "simulate", "pretend",
)  # fmt: skip
"""Turns of phrase that name loss but do not announce it."""

REBUILT = frozenset(
    "package packages cache caches cached formula formulae gem gems dependency dependencies module modules "
    "image images network networks host remote remotes alias aliases label labels plugin plugins extension "
    "extensions index lock locks upstream bookmark annotation annotations taint environment requirement "
    "requirements header headers context contexts build output downloads artifacts artefacts orphans".split()
)
"""Objects that are rebuilt from elsewhere or set again: their removal is not loss."""

CACHES = frozenset("cache caches cached temporary temp tmp index lock locks".split())
"""Objects whose loss does not matter, whatever the verb."""

SOFT_VERBS = frozenset(
    "rm rmi del remove unlink uninstall drop reset prune clean clear revert undo redo rebuild fresh strip evict "
    "unregister deregister forget".split()
)
"""Verbs of removal that are also used for things that are set again; `delete` or `purge` are not."""

READ_LEADS = frozenset(
    "show shows list lists print prints display displays describe describes report reports count counts "
    "tell tells get gets view views search searches find finds query queries compare compares check checks "
    "inspect inspects explain explains watch watches read reads dump look summarise summarize preview "
    "encode decode page validate test verify lookup retrieve retrieves".split()
)
NETWORK_WORDS = frozenset(
    "remote server api http https upload download downloads registry cloud host hosts internet url website "
    "repository bucket cluster instance account github gitlab publish deploy service webhook network".split()
)
