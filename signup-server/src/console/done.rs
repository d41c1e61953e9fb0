//! What a form has done: a sentence on the page that the browser is sent to.

use std::str::FromStr;

/// A success that the next page does not show by itself. A cookie carries its name to that page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    Saved,
    PlaceCancelled,
    MessageSent,
    Invited,
    /// The person who was invited is a member.
    MemberAlready,
}

impl Done {
    const ALL: [Self; 5] =
        [Self::Saved, Self::PlaceCancelled, Self::MessageSent, Self::Invited, Self::MemberAlready];

    /// Returns the value of the cookie.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Saved => "saved",
            Self::PlaceCancelled => "place-cancelled",
            Self::MessageSent => "message-sent",
            Self::Invited => "invited",
            Self::MemberAlready => "member-already",
        }
    }

    /// Returns the sentence of the page.
    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::Saved => "Your changes have been saved.",
            Self::PlaceCancelled => "The place has been cancelled.",
            Self::MessageSent => {
                "Your message is on its way. If it goes to many people, that takes several minutes."
            }
            Self::Invited => "The invitation is on its way by email.",
            Self::MemberAlready => "This person is already a member, so nothing has changed.",
        }
    }
}

impl FromStr for Done {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|done| done.name() == name).ok_or(())
    }
}
