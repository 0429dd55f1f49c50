//! A page of a list, and the items on it.

/// Which part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// 1, 2, 3, …
    pub number: u32,
    /// How many items a full page has: 1 to 100.
    pub size: u32,
}

impl Page {
    /// How many items come before this page: 2³² pages of 100 fit easily.
    #[must_use]
    pub fn offset(self) -> i64 {
        i64::from(self.number.saturating_sub(1)).saturating_mul(self.limit())
    }

    /// How many items it has at most.
    #[must_use]
    pub fn limit(self) -> i64 {
        i64::from(self.size)
    }
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T> {
    /// What is on the page.
    pub items: Vec<T>,
    /// How much is in the list.
    pub total: u64,
    /// The position of the log that both are of.
    pub position: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farthest_page_fits() {
        let page = Page { number: u32::MAX, size: 100 };
        assert_eq!((page.offset(), page.limit()), (429_496_729_400, 100));
    }
}
