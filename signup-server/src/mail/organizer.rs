//! The content of a mail with a message from an organizer.

use signup_core::{EmailAddress, MessageMail, MessagePlace, Secret};

use super::location::place_in_words;
use super::name::sender_name;
use super::people::People;
use super::unsubscribe_url;
use crate::page::times::Times;
use crate::plain::{lines, one_line};
use crate::texts::Texts;

/// The content of a mail with a message from an organizer, as its text and its HTML show it.
#[derive(Debug, Clone)]
pub(super) struct OrganizerMail {
    pub(super) texts: Texts,
    pub(super) subject: String,
    /// The names in the greeting.
    pub(super) name: Option<String>,
    /// Whether several people share the address.
    pub(super) has_several_people: bool,
    /// The organization that writes, and the event.
    pub(super) heading: String,
    /// The lines of the message.
    pub(super) text: Vec<String>,
    /// The shifts of the volunteer, in running order.
    pub(super) places: Vec<Place>,
    /// The URL of the places.
    pub(super) link: String,
    /// The URL that turns messages off.
    pub(super) unsubscribe: String,
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
    /// The people who have a place, if the mail is to several.
    pub(super) who: Option<String>,
}

impl OrganizerMail {
    /// Returns the content of the mail. `secret` is that of the link.
    pub(super) fn of(mail: &MessageMail, secret: &Secret, base_url: &str) -> Self {
        let MessageMail { event, message, places, .. } = mail;
        let texts = Texts::of(event.language);
        let people = People::of(places.iter().map(|place| &place.signup.name));
        let has_several_people = people.count() > 1;
        let of_shift = |places: &[MessagePlace]| {
            let MessagePlace { shift, signup, .. } = &places[0];
            let at = signup.time_and_place(shift, event);
            let who = People::of(places.iter().map(|place| &place.signup.name));
            let location = place_in_words(&at, event.is_virtual, texts);
            let when = Times::of(at.interval, &at.zone, texts).to_string();
            Place {
                shift: one_line(shift.title.as_str()),
                when: if signup.is_waitlisted() { texts.when_waiting(when) } else { when },
                location: location.map(|location| one_line(&location)),
                who: has_several_people.then(|| who.all(texts)),
            }
        };
        let organization = sender_name(&mail.organization.name).unwrap_or_else(|| texts.the_organizer());
        Self {
            texts,
            subject: one_line(message.subject.as_str()),
            name: people.greeting(texts),
            has_several_people,
            heading: texts.message_heading(&organization, one_line(event.title.as_str())),
            text: lines(message.text.as_str()),
            places: places.chunk_by(|a, b| a.shift.id == b.shift.id).map(of_shift).collect(),
            unsubscribe: unsubscribe_url(base_url, secret),
            link: format!("{base_url}/signups/{}", secret.reveal()),
            contact: mail.organization.contact.as_ref().map(EmailAddress::to_string),
            organization,
        }
    }
}
