//! The content of a mail with a message from an organizer.

use signup_core::{EmailAddress, MessageMail, MessagePlace};

use super::location::place_in_words;
use super::name::{UNNAMED_SENDER, safe_name, sender_name};
use crate::linked_text::LinkedText;
use crate::page::times::Times;
use crate::plain::{lines, one_line};

/// The content of a mail with a message from an organizer, as its text and its HTML show it.
#[derive(Debug, Clone)]
pub(super) struct OrganizerMail {
    pub(super) subject: String,
    pub(super) name: Option<String>,
    /// The organization that writes, and the event.
    pub(super) heading: String,
    /// The lines of the message.
    pub(super) text: Vec<String>,
    /// The shifts of the volunteer, in running order.
    pub(super) places: Vec<Place>,
    /// The organization's address for questions.
    pub(super) contact: Option<String>,
    pub(super) organization: String,
}

/// A shift of the volunteer.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) shift: String,
    pub(super) when: String,
    pub(super) location: Option<String>,
    /// The URL of the sign-up.
    pub(super) link: String,
}

impl OrganizerMail {
    pub(super) fn of(mail: &MessageMail, base_url: &str) -> Self {
        let MessageMail { event, message, places, .. } = mail;
        let of_place = |place: &MessagePlace| {
            let MessagePlace { shift, signup, secret, .. } = place;
            let at = signup.time_and_place(shift, event);
            let location = place_in_words(&at, event.is_virtual);
            Place {
                shift: one_line(shift.title.as_str()),
                when: Times::of(at.interval, &at.zone).to_string(),
                location: location.map(|location| one_line(&location)),
                link: format!("{base_url}/signups/{}", secret.reveal()),
            }
        };
        let organization = sender_name(&mail.organization.name).unwrap_or_else(|| UNNAMED_SENDER.to_owned());
        Self {
            subject: one_line(message.subject.as_str()),
            name: places.first().and_then(|place| safe_name(&place.signup.name)),
            heading: format!("{organization} sent you a message about {}", one_line(event.title.as_str())),
            text: lines(message.text.as_str()),
            places: places.iter().map(of_place).collect(),
            contact: mail.organization.contact.as_ref().map(EmailAddress::to_string),
            organization,
        }
    }

    /// Splits a line into its addresses and the parts between them.
    #[expect(clippy::unused_self, reason = "a template calls methods of its values only")]
    pub(super) fn linked<'t>(&self, line: &'t str) -> Vec<LinkedText<'t>> {
        LinkedText::parts(line)
    }

    /// Returns the link that begins a mail to an address.
    #[expect(clippy::unused_self, reason = "a template calls methods of its values only")]
    pub(super) fn mailto(&self, address: &str) -> String {
        LinkedText::mail_address(address).link.unwrap_or_default().into_owned()
    }
}
