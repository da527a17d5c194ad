"""The record on disk: event log, signatures, evidence pictures, bundles, backups, retention."""
