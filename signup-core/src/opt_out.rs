//! Opt-outs: the mails that volunteers and members have turned off.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::OrganizationId;
use crate::text::EmailAddress;
use crate::text_form::names;

/// Mails of an organization that the recipient can turn off and on again, by the [link](crate::Link) of each of them. Other mails,
/// such as that about a cancelled shift, cannot be turned off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Subscription {
    /// Reminders of shifts.
    Reminders,
    /// Messages from the organizers.
    Messages,
    /// The [summaries](crate::SummaryMail) of a member.
    Summaries,
}

names! {
    /// Every subscription.
    Subscription {
        Reminders => "reminders",
        Messages => "messages",
        Summaries => "summaries",
    }
}

/// An address has turned the mails of a subscription off.
///
/// The record never changes. It is removed when the mails are turned on again, and when the address is erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OptOut {
    /// The organization whose mails are meant.
    pub organization: OrganizationId,
    /// The address, in any spelling.
    pub mailbox: EmailAddress,
    /// The mails that are turned off.
    pub subscription: Subscription,
    /// When they were turned off.
    pub created_at: Timestamp,
}

impl OptOut {
    /// Creates the record of an address that turns mails off.
    pub const fn new(
        organization: OrganizationId,
        mailbox: EmailAddress,
        subscription: Subscription,
        created_at: Timestamp,
    ) -> Self {
        Self { organization, mailbox, subscription, created_at }
    }
}
