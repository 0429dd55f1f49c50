//! Secrecy: what a person tells a bank is in no table and no log, nor is the token of a challenge, in whatever form.
