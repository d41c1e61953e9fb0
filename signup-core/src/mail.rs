//! Mails: a claimed notice, and the records that its mail shows.

use jiff::Timestamp;

use crate::event::Event;
use crate::invitation::Invitee;
use crate::message::Message;
use crate::news::News;
use crate::notice::{Notice, NoticeCause};
use crate::organization::Organization;
use crate::person::Role;
use crate::secret::{Digest, Secret};
#[cfg(doc)]
use crate::shift::CancelledBy;
use crate::shift::ScheduledShift;
use crate::sign_in::Code;
use crate::signup::Signup;
use crate::store::SignupInFull;
use crate::text::{EmailAddress, PersonName};

/// A mail to send: the claimed notice, and what the mail shows.
///
/// A notice to several volunteers is fanned out, so its cause never reaches a mail:
///
/// | queued | delivered | [`signup.cancelled_by()`](Signup::cancelled_by) |
/// |---|---|---|
/// | [`SignedUp`](NoticeCause::SignedUp) | the same | `None` |
/// | [`SignedUpAgain`](NoticeCause::SignedUpAgain) | the same | `None` |
/// | [`Cancelled`](NoticeCause::Cancelled) | the same | [`Volunteer`](CancelledBy::Volunteer) or [`Organizer`](CancelledBy::Organizer) |
/// | [`EventCancelled`](NoticeCause::EventCancelled) | `Cancelled` | [`EventCancellation`](CancelledBy::EventCancellation) |
/// | [`ShiftDeleted`](NoticeCause::ShiftDeleted) | `Cancelled` | [`ShiftDeletion`](CancelledBy::ShiftDeletion) |
/// | [`ShiftChanged`](NoticeCause::ShiftChanged) | `ShiftMoved` | `None` |
/// | [`MessageSent`](NoticeCause::MessageSent) | `Message` | not about a sign-up |
/// | [`SignInCode`](NoticeCause::SignInCode), [`Invited`](NoticeCause::Invited) | the same | not about a sign-up |
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() -> ExampleResult { example(async |Example { service, session, created, ada, .. }| {
/// use signup_core::{Cancellation, CancelledBy, Mail, MailContent, NoticeCause, SignupInFull};
///
/// fn text(mail: &Mail) -> String {
///     let SignupInFull { event, shift, signup, .. } = match &mail.content {
///         MailContent::Signup(about) => &**about,
///         MailContent::SignInCode { code, .. } => return format!("Your sign-in code: {}", code.grouped()),
///         MailContent::Message(sent) => return sent.message.text.to_string(),
///         MailContent::Invitation(invited) => return format!("You are invited to {}.", invited.organization.name),
///         // A mail of a later version of this library.
///         _ => return "There is news.".to_owned(),
///     };
///     let zone = shift.first_day.zone().rules();
///     let start = shift.interval().start.to_zoned_datetime(zone.clone()).strftime("%A, %-d %B %Y, %H:%M %Z");
///     match &mail.notice.cause {
///         NoticeCause::SignedUp { secret, .. } => {
///             format!("You are signed up for {start}. To cancel: https://example.org/cancel/{}", secret.reveal())
///         }
///         NoticeCause::SignedUpAgain { .. } => format!("You already have a place, as {}. It starts on {start}.", signup.name),
///         NoticeCause::Cancelled { .. } => match signup.cancelled_by() {
///             Some(CancelledBy::EventCancellation) => format!("{} is cancelled.", event.title),
///             Some(CancelledBy::ShiftDeletion) => format!("The shift {} does not take place.", shift.title),
///             Some(CancelledBy::Organizer) => "The organizer has cancelled your place.".to_owned(),
///             _ => "You have cancelled your place.".to_owned(),
///         },
///         NoticeCause::ShiftMoved { .. } => format!("The time or the place of your shift has changed. It starts on {start}."),
///         // A cause of a later version of this library.
///         other => format!("There is news about {}: {}", event.title, other.name()),
///     }
/// }
///
/// # let outbox = service.outbox();
/// # let next = async || {
/// #     let due = outbox.due(1).await?.pop().ok_or("no notice is due")?;
/// #     let Some(mail) = outbox.claim(&due).await? else { return Ok(None) };
/// #     outbox.report_sent(&mail.notice).await?;
/// #     Ok::<_, Box<dyn std::error::Error>>(Some(text(&mail)))
/// # };
/// let form = service.volunteers().form(&created.event.slug, [created.shifts[0].id]).await?;
/// form.sign_up(ada).await?;
/// // The mail: "You are signed up for Saturday, 5 June 2027, 00:00 EDT. To cancel: https://example.org/cancel/…"
/// # let confirmation = next().await?.ok_or("no mail")?;
/// # assert!(confirmation.starts_with("You are signed up for Saturday, 5 June 2027, 00:00 EDT."), "{confirmation}");
/// session.cancel_event(created.event.id, Cancellation::new()).await?;
/// // The mail: "Food drive is cancelled."
/// # assert_eq!(next().await?, None);
/// # assert_eq!(next().await?.as_deref(), Some("Food drive is cancelled."));
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Mail {
    /// The claimed notice. Its id stays the same over all attempts.
    pub notice: Notice,
    /// What the mail shows, at the time of the claim.
    pub content: MailContent,
    /// The secret of the link to the places of the address. It was generated for this attempt, and is stored nowhere. `None` in a mail
    /// to a person who signs in or is invited.
    pub secret: Option<Secret>,
    /// The cause and the sign-up before the claim. [`Outbox::report_failed`](crate::Outbox::report_failed) restores what
    /// the claim changed in both. `None` in a delivery that was not claimed, and in a mail that is not about a sign-up.
    pub(crate) unclaimed: Option<(NoticeCause, Signup)>,
}

/// What a mail shows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MailContent {
    /// A mail to a volunteer about a sign-up. The cause of the notice says what happened, and has the secret of the link.
    Signup(Box<SignupInFull>),
    /// What an address has to hear about its places at an event.
    News(Box<News>),
    /// A code to sign in.
    SignInCode {
        /// The address of the person, in their own spelling.
        email: EmailAddress,
        /// The code.
        code: Code,
    },
    /// An invitation. The cause of the notice has the secret of the link.
    Invitation(Box<InvitationMail>),
    /// A message from an organizer to a volunteer.
    Message(Box<MessageMail>),
}

/// The mail of a message to one address.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MessageMail {
    /// The organization of the event.
    pub organization: Organization,
    /// The event.
    pub event: Event,
    /// The message.
    pub message: Message,
    /// The address.
    pub email: EmailAddress,
    /// The confirmed sign-ups of the address for shifts that are not over, in running order; at least one.
    pub places: Vec<MessagePlace>,
}

/// A sign-up in the mail of a message.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MessagePlace {
    /// The shift.
    pub shift: ScheduledShift,
    /// The sign-up.
    pub signup: Signup,
    /// The secret of the link to the sign-up.
    pub secret: Secret,
}

/// The mail of an invitation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InvitationMail {
    /// The organization.
    pub organization: Organization,
    /// The person who is invited.
    pub invitee: Invitee,
    /// The role in the organization.
    pub role: Role,
    /// The name of the member who invites. `None` for the operator.
    pub inviter: Option<PersonName>,
    /// When the link stops working.
    pub expires_at: Timestamp,
}

impl InvitationMail {
    /// Creates the mail of an invitation by the operator.
    pub const fn new(
        organization: Organization,
        invitee: Invitee,
        role: Role,
        expires_at: Timestamp,
    ) -> Self {
        Self { organization, invitee, role, inviter: None, expires_at }
    }
}

impl Mail {
    /// Creates the mail of a notice, for tests of a program's mail texts. [`Outbox::claim`](crate::Outbox::claim)
    /// returns the mails to send.
    pub const fn new(notice: Notice, content: MailContent) -> Self {
        Self { notice, content, secret: None, unclaimed: None }
    }

    /// Returns the digest for the id of the message, whose text is `text`. A mail that is repeated after a crash has the same digest, although
    /// its link has another secret. A mail with other words has another one: some mail servers drop a message whose id they know.
    pub fn message_digest(&self, text: &str) -> Digest {
        let secret = self.secret.as_ref().map_or("", Secret::reveal);
        let words = if secret.is_empty() { text.to_owned() } else { text.replace(secret, "") };
        Digest::of(&format!("{}\n{words}", self.notice.id))
    }

    /// Returns the address that the mail goes to.
    pub fn recipient(&self) -> &EmailAddress {
        match &self.content {
            MailContent::Signup(about) => &about.signup.email,
            MailContent::News(news) => &news.email,
            MailContent::SignInCode { email, .. } => email,
            MailContent::Invitation(invited) => &invited.invitee.email,
            MailContent::Message(message) => &message.email,
        }
    }

    /// Returns the sign-up of a mail to a volunteer about a sign-up, with the records that it refers to.
    pub fn signup(&self) -> Option<&SignupInFull> {
        match &self.content {
            MailContent::Signup(about) => Some(about),
            _ => None,
        }
    }
}
