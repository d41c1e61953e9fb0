//! The approximate size of cached values.

use signup_core::{Event, EventInFull, Organization, Page, Question, ScheduledShift};

/// The size of a record without its longer texts, including a share of the containers around it.
pub(super) const RECORD_BYTES: usize = 640;

/// A value whose size in memory can be estimated.
pub(crate) trait Weight {
    /// Returns the approximate size of the value in bytes.
    fn bytes(&self) -> usize;
}

impl<T: Weight> Weight for Option<T> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, T::bytes)
    }
}

impl<T: Weight> Weight for Vec<T> {
    fn bytes(&self) -> usize {
        self.iter().map(T::bytes).sum()
    }
}

impl Weight for Organization {
    fn bytes(&self) -> usize {
        let addresses = [&self.public_url, &self.privacy_url].into_iter().flatten();
        RECORD_BYTES + addresses.map(|address| address.as_str().len()).sum::<usize>()
    }
}

impl Weight for Event {
    fn bytes(&self) -> usize {
        let description = self.description.as_ref().map_or(0, |text| text.as_str().len());
        let location = self.location.as_ref().map_or(0, |text| text.as_str().len());
        let reason = self.cancellation_reason.as_ref().map_or(0, |text| text.as_str().len());
        RECORD_BYTES + self.title.as_str().len() + self.slug.len() + description + location + reason
    }
}

impl Weight for Page<Event> {
    fn bytes(&self) -> usize {
        self.items.bytes()
    }
}

impl Weight for ScheduledShift {
    fn bytes(&self) -> usize {
        let description = self.description.as_ref().map_or(0, |text| text.as_str().len());
        let location = self.location.as_ref().map_or(0, |text| text.as_str().len());
        let reason = self.closing.as_ref().and_then(|closing| closing.reason.as_ref());
        let reason = reason.map_or(0, |text| text.as_str().len());
        RECORD_BYTES + self.title.as_str().len() + description + location + reason
    }
}

impl Weight for Question {
    fn bytes(&self) -> usize {
        let options = self.options.iter().map(|option| size_of::<String>() + option.as_str().len());
        RECORD_BYTES + options.sum::<usize>()
    }
}

impl Weight for EventInFull {
    fn bytes(&self) -> usize {
        let data = self.location_data.as_ref().map_or(0, |data| data.to_json().len());
        self.event.bytes() + data + self.shifts.bytes() + self.questions.bytes()
    }
}
