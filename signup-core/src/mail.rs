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
use crate::shift::ScheduledShift;
use crate::sign_in::Code;
use crate::signup::Signup;
use crate::summary::SummaryMail;
use crate::text::{EmailAddress, PersonName};

/// A mail to send: the claimed notice, and what the mail shows.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() -> ExampleResult { example(async |Example { service, session, created, ada, .. }| {
/// use signup_core::{Cancellation, Mail, MailContent, PlaceChange, PlaceNews};
///
/// fn text(mail: &Mail) -> String {
///     match &mail.content {
///         MailContent::News(news) => {
///             let lines = news.places.iter().map(line).collect::<Vec<_>>().join("\n");
///             let secret = mail.secret.as_ref().map_or("", |secret| secret.reveal());
///             format!("{}\n{lines}\nTo see or cancel your places: https://example.org/places/{secret}", news.event.title)
///         }
///         MailContent::SignInCode { code, .. } => format!("Your sign-in code: {}", code.grouped()),
///         MailContent::Message(sent) => sent.message.text.to_string(),
///         MailContent::Invitation(invited) => format!("You are invited to {}.", invited.organization.name),
///         // A mail of a later version of this library.
///         _ => "There is news.".to_owned(),
///     }
/// }
///
/// fn line(place: &PlaceNews) -> String {
///     let start = place.at.interval.start.to_zoned_datetime(place.at.zone.rules().clone());
///     let start = start.strftime("%A, %-d %B %Y, %H:%M %Z");
///     let name = &place.signup.name;
///     match &place.change {
///         PlaceChange::New => format!("{name} is signed up for {start}."),
///         PlaceChange::Moved { .. } => format!("The time or the place of {name}'s shift has changed. It starts on {start}."),
///         PlaceChange::Cancelled => format!("{name}'s place on {start} is cancelled."),
///         _ => format!("{name} has a place on {start}."),
///     }
/// }
///
/// # let outbox = service.outbox();
/// # let next = async || {
/// #     let due = outbox.due(1).await?.pop().ok_or("no notice is due")?;
/// #     let Some(mail) = outbox.claim(&due).await? else { return Ok(None) };
/// #     outbox.report_sent(&mail).await?;
/// #     Ok::<_, Box<dyn std::error::Error>>(text(&mail).lines().nth(1).map(str::to_owned))
/// # };
/// let form = service.volunteers().form(&created.event.slug, [created.shifts[0].id]).await?;
/// form.sign_up(ada).await?;
/// // The mail: "Ada Lovelace is signed up for Saturday, 5 June 2027, 00:00 EDT."
/// # let confirmation = next().await?;
/// # assert_eq!(confirmation.as_deref(), Some("Ada Lovelace is signed up for Saturday, 5 June 2027, 00:00 EDT."));
/// session.cancel_event(created.event.id, Cancellation::new()).await?;
/// // The mail: "Ada Lovelace's place on Saturday, 5 June 2027, 00:00 EDT is cancelled."
/// # assert_eq!(next().await?, None);
/// # let cancellation = next().await?;
/// # assert_eq!(cancellation.as_deref(), Some("Ada Lovelace's place on Saturday, 5 June 2027, 00:00 EDT is cancelled."));
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Mail {
    /// The claimed notice. Its id stays the same over all attempts.
    pub notice: Notice,
    /// What the mail shows, at the time of the claim.
    pub content: MailContent,
    /// The secret of the link to the places of the address. It was generated for this attempt, and is stored nowhere. `None` in a
    /// mail to a person who signs in or is invited.
    pub secret: Option<Secret>,
}

/// What a mail shows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MailContent {
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
    /// The summary of an organization to a member.
    Summary(Box<SummaryMail>),
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
    /// The sign-ups of the address that the message is for, in running order; at least one.
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
        Self { notice, content, secret: None }
    }

    /// Returns the digest for the id of the message, whose text is `text`. A mail that is repeated after a crash has the same
    /// digest, although its link has another secret. A mail with other words has another one: some mail servers drop a message
    /// whose id they know.
    pub fn message_digest(&self, text: &str) -> Digest {
        let secret = self.secret.as_ref().map_or("", Secret::reveal);
        let words = if secret.is_empty() { text.to_owned() } else { text.replace(secret, "") };
        let number = match &self.notice.cause {
            NoticeCause::News(recipient) => i64::from(recipient.sent),
            NoticeCause::Summary(summary) => summary.since.as_second(),
            _ => 0,
        };
        let Notice { id, created_at, .. } = &self.notice;
        Digest::of(&format!("{id} {created_at} {number}\n{words}"))
    }

    /// Returns the address that the mail goes to.
    pub fn recipient(&self) -> &EmailAddress {
        match &self.content {
            MailContent::News(news) => &news.email,
            MailContent::SignInCode { email, .. } => email,
            MailContent::Invitation(invited) => &invited.invitee.email,
            MailContent::Message(message) => &message.email,
            MailContent::Summary(summary) => &summary.person.email,
        }
    }
}
