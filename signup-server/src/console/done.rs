//! What a form has done, or why it has done nothing: a sentence on the page that the browser is sent to.

use std::str::FromStr;

/// What the next page does not show by itself. A cookie carries its name to that page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    Saved,
    Published,
    SignupsClosed,
    SignupsOpened,
    ShiftDeleted,
    PlaceCancelled,
    TakenOffList,
    PlaceMoved,
    SignupCorrected,
    MessageSent,
    /// The message was written to the log, because no mail server is configured.
    MessageLogged,
    Invited,
    /// The same form has invited the person before, and its page has shown the link.
    InvitedBefore,
    /// The person who was invited is a member.
    MemberAlready,
    /// An invitation was accepted without a session. The page is that to sign in.
    Joined,
    /// The session had ended. The page is that to sign in.
    NotSaved,
}

impl Done {
    const ALL: [Self; 16] = [
        Self::Saved,
        Self::Published,
        Self::SignupsClosed,
        Self::SignupsOpened,
        Self::ShiftDeleted,
        Self::PlaceCancelled,
        Self::TakenOffList,
        Self::PlaceMoved,
        Self::SignupCorrected,
        Self::MessageSent,
        Self::MessageLogged,
        Self::Invited,
        Self::InvitedBefore,
        Self::MemberAlready,
        Self::Joined,
        Self::NotSaved,
    ];

    /// Returns the value of the cookie.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Saved => "saved",
            Self::Published => "published",
            Self::SignupsClosed => "signups-closed",
            Self::SignupsOpened => "signups-opened",
            Self::ShiftDeleted => "shift-deleted",
            Self::PlaceCancelled => "place-cancelled",
            Self::TakenOffList => "taken-off-list",
            Self::PlaceMoved => "place-moved",
            Self::SignupCorrected => "signup-corrected",
            Self::MessageSent => "message-sent",
            Self::MessageLogged => "message-logged",
            Self::Invited => "invited",
            Self::InvitedBefore => "invited-before",
            Self::MemberAlready => "member-already",
            Self::Joined => "joined",
            Self::NotSaved => "not-saved",
        }
    }

    /// Returns the sentence of the page.
    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::Saved => "Your changes have been saved.",
            Self::Published => "The event has been published.",
            Self::SignupsClosed => "Sign-ups have been closed.",
            Self::SignupsOpened => "Sign-ups have been opened.",
            Self::ShiftDeleted => "The shift has been deleted.",
            Self::PlaceCancelled => "The sign-up has been cancelled.",
            Self::TakenOffList => "The volunteer has been taken off the waiting list.",
            Self::PlaceMoved => "The volunteer has been moved to the other shift.",
            Self::SignupCorrected => "The sign-up has been corrected.",
            Self::MessageSent => {
                "Your message is on its way. If it goes to many people, that takes several minutes."
            }
            Self::MessageLogged => {
                "No one gets your message, because this server cannot send email. It is in the server’s log."
            }
            Self::InvitedBefore => {
                "You’ve already invited this person. We can’t show the link again: to get a new one, invite them again."
            }
            Self::Invited => "The invitation is on its way by email.",
            Self::Joined => "You’ve joined the organization. Sign in to continue.",
            Self::NotSaved => {
                "You’ve been signed out. Your form was not saved. To keep what you typed, sign in here: this opens a new tab. Then come \
                 back to this tab, go back one page, and send the form again."
            }
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
