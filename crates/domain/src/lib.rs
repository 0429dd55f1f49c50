//! Money, ids, aggregates, postings, processes: the rules, pure and synchronous
