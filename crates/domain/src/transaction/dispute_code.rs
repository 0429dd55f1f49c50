//! Codes by which banks dispute a return.

use crate::named;

named! {
    /// Code of a dishonored return: the originator's bank does not accept a return. The stored names never change.
    ///
    /// Source: Nacha Operating Rules, Appendix Four, dishonored returns.
    pub enum DishonorCode {
        /// The return was sent to the wrong bank.
        Misrouted => "R61",
        /// The return of an erroneous or reversing debit.
        Erroneous => "R62",
        /// The entry had been returned before.
        Duplicate => "R67",
        /// The return came after its time limit.
        Untimely => "R68",
        /// Fields of the return are wrong.
        FieldError => "R69",
        /// The originator's bank had not requested or permitted the return.
        NotRequested => "R70",
    }
}

named! {
    /// Code of a contested dishonored return: the receiver's bank insists on its return. The stored names never change.
    ///
    /// Source: Nacha Operating Rules, Appendix Four, contested dishonored returns.
    pub enum ContestCode {
        /// The dishonored return was sent to the wrong bank.
        Misrouted => "R71",
        /// The dishonored return came after its time limit.
        Untimely => "R72",
        /// The return was in time.
        TimelyReturn => "R73",
        /// The return with its fields corrected.
        CorrectedReturn => "R74",
        /// The entry had not been returned before.
        NoDuplicate => "R75",
        /// The fields of the return are right.
        NoErrors => "R76",
        /// The receiver's bank does not accept that the return of an erroneous debit was dishonored.
        NotAccepted => "R77",
    }
}
