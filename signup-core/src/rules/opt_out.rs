//! Turning mails off, and on again.

use jiff::Timestamp;

use super::Decision;
use crate::link::Link;
use crate::opt_out::{OptOut, Subscription};
use crate::store::{ChangeSet, Refusal, Requirement, Unique};

/// Turns the mails of a subscription on or off for the address of a link. `present` is the opt-out of the address, if it has turned
/// them off.
pub(crate) fn subscribe(
    link: &Link,
    subscription: Subscription,
    present: Option<OptOut>,
    is_on: bool,
    now: Timestamp,
) -> Decision<()> {
    let mut change = ChangeSet::default();
    match present {
        Some(opt_out) if is_on => change.remove(opt_out),
        None if !is_on => {
            let mailbox = link.mailbox.key().to_owned();
            let unique = Unique::OptOut(link.organization, mailbox, subscription);
            change.requires.push(Requirement::Absent { unique, now });
            change.insert(OptOut::new(link.organization, link.mailbox.clone(), subscription, now));
        }
        _ => {}
    }
    let is_taken = |refusal: &Refusal| matches!(refusal, Refusal::Taken(_));
    Decision::unrecorded((), change).again_after(is_taken)
}

/// Removes the opt-outs of an address that is erased.
pub(crate) fn erase_opt_outs(opt_outs: Vec<OptOut>) -> ChangeSet {
    let mut change = ChangeSet::default();
    opt_outs.into_iter().for_each(|opt_out| change.remove(opt_out));
    change
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;

    #[test]
    fn only_a_change_of_the_subscription_is_written() {
        let link = records::link(&records::signup(&full().shifts[0], 3), 1);
        let opt_out = OptOut::new(link.organization, link.mailbox.clone(), Subscription::Reminders, before());
        for (present, is_on, expected) in [
            (None, false, &["no opt-out from reminders", "insert OptOut 0"][..]),
            (None, true, &[]),
            (Some(opt_out.clone()), false, &[]),
            (Some(opt_out), true, &["remove OptOut 0"]),
        ] {
            let decision = subscribe(&link, Subscription::Reminders, present, is_on, before());
            assert_eq!(lines(&decision), expected);
        }
    }
}
