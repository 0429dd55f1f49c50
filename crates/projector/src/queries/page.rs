//! A page of a list, and the items on it.

/// Selection of a part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Number of the page: 1, 2, 3, …
    pub number: u32,
    /// Number of items on a full page: 1 to 100.
    pub size: u32,
}

impl Page {
    /// Returns the number of items before this page. The largest, 2³² pages of 100, fits easily.
    #[must_use]
    pub fn offset(self) -> i64 {
        i64::from(self.number.saturating_sub(1)).saturating_mul(self.limit())
    }

    /// Returns the maximum number of items on this page.
    #[must_use]
    pub fn limit(self) -> i64 {
        i64::from(self.size)
    }
}

/// The items of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T> {
    /// Items on the page.
    pub items: Vec<T>,
    /// Number of items in the whole list.
    pub total: u64,
    /// Position of the log that items and total are of.
    pub position: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offset_of_farthest_page_fits() {
        let page = Page { number: u32::MAX, size: 100 };
        assert_eq!((page.offset(), page.limit()), (429_496_729_400, 100));
    }
}
