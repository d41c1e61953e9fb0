//! The frame of the pages of an organization: its name, the navigation, and the person who is signed in.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use signup_core::{Event, Role, SignedIn, Theme, Zone};

use super::{Console, Done, Form};
use crate::page::{DEFAULT_THEME, Head};

/// The values that the layout of the pages of an organization shows.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// The path of the base URL, without a slash at the end.
    pub(crate) base_path: Arc<str>,
    /// Whether the server sends mails. Without, each page says so.
    pub(crate) sends_mail: bool,
    /// The path of the organization's pages, such as `/console/riverside`.
    pub(crate) root: String,
    /// The path of the present page below [`root`](Self::root), such as `/settings/members`.
    pub(crate) at: String,
    /// The name of the organization.
    pub(crate) organization: String,
    /// The colours of the organization: those of its newest event.
    pub(crate) theme: Theme,
    /// The zone of the newest event.
    pub(crate) zone: Option<Zone>,
    /// Whether the person is a member of other organizations, too.
    pub(crate) has_others: bool,
    /// The role of the person in the organization.
    pub(crate) role: Role,
    /// The name of the person.
    pub(crate) person: String,
    /// The address of the person.
    pub(crate) email: String,
    /// Whether the sign-in is recent, so that no action requires another code.
    pub(crate) is_recent: bool,
    /// What the form before this page has done, if the page should say so.
    pub(crate) done: Option<Done>,
}

impl Console {
    /// Returns the frame of the page at the path `at`; `None` if the person is no member of the organization with this slug.
    /// `newest` is the organization's newest event.
    pub(super) fn frame(
        &self,
        signed_in: &SignedIn,
        slug: &str,
        at: &str,
        newest: Option<&Event>,
        done: Option<Done>,
    ) -> Option<Frame> {
        let memberships = signed_in.memberships();
        let (membership, organization) = memberships.iter().find(|(_, found)| found.slug == slug)?;
        let root = format!("/console/{slug}");
        Some(Frame {
            base_path: Arc::clone(&self.base_path),
            sends_mail: self.sends_mail,
            at: at.strip_prefix(&root).unwrap_or(at).to_owned(),
            root: self.path(&root),
            organization: organization.name.to_string(),
            theme: newest.and_then(|event| event.theme).unwrap_or(DEFAULT_THEME),
            zone: newest.map(|event| event.dates.first.zone().clone()),
            has_others: memberships.len() > 1,
            role: membership.role,
            person: signed_in.person().name.to_string(),
            email: signed_in.person().email.to_string(),
            is_recent: signed_in.is_recent(),
            done,
        })
    }
}

impl Frame {
    /// Returns the head of a page with this title.
    pub(crate) fn head(&self, title: &str) -> Head {
        Head::private(&format!("{title} – {}", self.organization), self.theme)
    }

    /// Returns the head of a page with a form. Its title says whether the form was refused, or has done something else before.
    pub(crate) fn head_of(&self, title: &str, form: &Form) -> Head {
        let is_problem = form.is_refused() || form.done_before.is_some();
        self.head(&format!("{}{title}", if is_problem { "Error: " } else { "" }))
    }

    /// Returns the whole path of a page of the organization, such as `/settings/members`.
    pub(crate) fn path(&self, path: &str) -> String {
        format!("{}{path}", self.root)
    }

    /// Returns the whole path of the present page. Each form has it as its action, because a form without an action is sent to the
    /// URL of the page with its fragment: a browser then scrolls to the field of the fragment, and does not focus what the next
    /// page says.
    pub(crate) fn here(&self) -> String {
        self.path(&self.at)
    }

    /// Returns the path of the present page, without that of the base URL.
    pub(crate) fn wanted(&self) -> String {
        let path = self.here();
        path.strip_prefix(&*self.base_path).unwrap_or(&path).to_owned()
    }

    /// Returns whether the present page is `path`, or a page below it.
    pub(crate) fn is_at(&self, path: &str) -> bool {
        super::guard::is_at_or_below(&self.at, path)
    }

    /// Returns whether the present page is one of the settings.
    pub(crate) fn is_in_settings(&self) -> bool {
        self.is_at("/settings")
    }

    /// Returns the date at an instant, in the zone of the newest event.
    pub(crate) fn date_at(&self, now: Timestamp) -> Date {
        self.zone.as_ref().map_or_else(|| TimeZone::UTC.to_datetime(now).date(), |zone| zone.date_at(now))
    }

    pub(crate) fn is_admin(&self) -> bool {
        self.role >= Role::Admin
    }

    pub(crate) fn is_owner(&self) -> bool {
        self.role >= Role::Owner
    }
}
