//! Read models and the runner that feeds them
