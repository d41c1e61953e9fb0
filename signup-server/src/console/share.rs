//! What an organizer shares of an event: the address of its public page as a QR code, a text to paste, and a poster for print.

use askama::Template;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use png::{BitDepth, ColorType, Encoder, EncodingError};
use qrcode::QrCode;
use qrcode::render::svg;
use qrcode::types::Color;
use signup_core::{Description, Error, Event, EventLocation, EventWithShifts, Interval, ScheduledShift};
use warp::http::StatusCode;

use super::signups::file;
use super::{Frame, MemberCall, PageResult, show};
use crate::page::Head;
use crate::page::times::{self, Times};
use crate::texts::Texts;

/// The width of the free space around a QR code, in modules (ISO/IEC 18004, 9.1).
const QUIET_ZONE: usize = 4;
/// The width of a module in the PNG, in pixels. A code of 33 modules is 328 pixels wide.
const MODULE_PX: usize = 8;

/// The largest number of days whose hours stand on a poster.
const MAX_LINES: usize = 4;

/// What is escaped in a link that writes a mail: not the colons and the slashes of an address, so that it stays readable.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':').remove(b'/');

/// How an event is made known.
#[derive(Debug)]
pub(super) struct Share {
    /// A text to paste.
    pub(super) text: String,
    /// The link that writes a mail with the text.
    pub(super) mail: String,
    pub(super) qr_code: Option<String>,
}

impl Share {
    pub(super) fn of(event: &Event, url: &str) -> Self {
        // Some mail programs take links of about 2,000 characters only.
        const MAX_LOCATION: usize = 300;
        let location = event.location.as_ref().map(|location| location.as_str().to_owned());
        let location = location.filter(|location| location.len() <= MAX_LOCATION);
        let location = location.or_else(|| event.is_virtual.then(|| Texts::of(event.language).online()));
        let lines = [Some(event.title.to_string()), Some(times::days(event)), location, Some(url.to_owned())];
        let text = lines.into_iter().flatten().collect::<Vec<_>>().join("\n");
        let [subject, body] = [event.title.to_string(), text.replace('\n', "\r\n")]
            .map(|text| utf8_percent_encode(&text, ESCAPED).to_string());
        let mail = format!("mailto:?subject={subject}&body={body}");
        Self { text, mail, qr_code: svg_of(url) }
    }
}

#[derive(Debug, Template)]
#[template(path = "console/poster.html")]
struct PosterTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    event: &'a Event,
    /// The texts in the language of the event.
    texts: Texts,
    is_over: bool,
    /// The days and the hours, a line each.
    when: Vec<String>,
    location: Option<&'a str>,
    description: Option<&'a str>,
    url: String,
    qr_code: Option<String>,
}

/// `GET …/events/{event_id}/poster`: returns a page to print and put up.
pub(crate) async fn poster(call: MemberCall) -> PageResult {
    let EventWithShifts { event, shifts, .. } = &call.session.event(call.path.event()).await?;
    let url = url_of(&call, event);
    let page = PosterTemplate {
        head: call.frame.head(&format!("Poster for {}", event.title)),
        frame: &call.frame,
        event,
        texts: Texts::of(event.language),
        is_over: event.is_over_with(shifts, call.now()),
        when: when(event, shifts),
        location: event.location.as_ref().map(EventLocation::as_str),
        description: event.description.as_ref().map(Description::as_str),
        qr_code: svg_of(&url),
        url,
    };
    Ok(show(StatusCode::OK, &page))
}

/// Returns the days of an event with the hours from the first start to the last end, and the zone: in one line if each day has
/// equal hours that end on the same day, and else in a line for each day with shifts, or without hours for more than [`MAX_LINES`]
/// days.
fn when(event: &Event, shifts: &[ScheduledShift]) -> Vec<String> {
    let (zone, texts) = (event.dates.first.zone(), Texts::of(event.language));
    let date = |shift: &ScheduledShift| times::date(shift.interval(), zone);
    let hours = |of_day: &[ScheduledShift]| {
        let intervals = of_day.iter().map(ScheduledShift::interval);
        let start = intervals.clone().map(|interval| interval.start).min()?;
        let end = intervals.map(|interval| interval.end).max()?;
        Some(Times::of(Interval { start, end }, zone, texts))
    };
    let days: Vec<_> = shifts.chunk_by(|one, other| date(one) == date(other)).filter_map(hours).collect();
    let has_hours = |times: &Times| {
        let has_clocks =
            |other: &Times| (&other.start.clock, &other.end.clock) == (&times.start.clock, &times.end.clock);
        days.iter().all(|other| has_clocks(other) && other.end_day().is_none())
    };
    let mut lines = match days.first() {
        Some(first) if days.len() == event.dates.days() as usize && has_hours(first) => {
            let mut all = first.clone();
            all.date = times::days(event);
            vec![all.line()]
        }
        Some(_) if days.len() <= MAX_LINES => days.iter().map(Times::line).collect(),
        _ => return vec![times::days(event)],
    };
    if days.iter().any(|times| !times.is_whole_day) {
        lines.push(texts.zone_note(times::zone_in_words(zone, texts)));
    }
    lines
}

/// `GET …/events/{event_id}/qr.svg`: returns the QR code of the public page as an SVG.
pub(crate) async fn qr_svg(call: MemberCall) -> PageResult {
    let event = call.session.event(call.path.event()).await?.event;
    let svg = svg_of(&url_of(&call, &event)).ok_or(Error::NotFound)?;
    Ok(file(svg, "image/svg+xml", &format!("{}-qr.svg", event.slug)))
}

/// `GET …/events/{event_id}/qr.png`: returns the QR code of the public page as a PNG.
pub(crate) async fn qr_png(call: MemberCall) -> PageResult {
    let event = call.session.event(call.path.event()).await?.event;
    let code = QrCode::new(url_of(&call, &event)).map_err(|_| Error::NotFound)?;
    let png = png(&code).map_err(|_| Error::NotFound)?;
    Ok(file(png, "image/png", &format!("{}-qr.png", event.slug)))
}

/// Returns the address of the public page of an event.
pub(super) fn url_of(call: &MemberCall, event: &Event) -> String {
    call.console.url(&format!("/events/{}", event.slug))
}

/// Returns the QR code of an address as an SVG element. `None` if the address is longer than about 2,300 bytes, which a code can
/// hold.
pub(super) fn svg_of(url: &str) -> Option<String> {
    let code = QrCode::new(url).ok()?;
    let document = code.render::<svg::Color<'_>>().min_dimensions(200, 200).build();
    let element = document.find("<svg")?;
    Some(document[element..].to_owned())
}

/// Draws a QR code in black and white, with its free space.
fn png(code: &QrCode) -> Result<Vec<u8>, EncodingError> {
    let (colors, width) = (code.to_colors(), code.width());
    let size = (width + 2 * QUIET_ZONE) * MODULE_PX;
    let is_dark = |x: usize, y: usize| {
        let [x, y] = [x, y].map(|at| (at / MODULE_PX).checked_sub(QUIET_ZONE).filter(|at| *at < width));
        x.zip(y).is_some_and(|(x, y)| colors[y * width + x] == Color::Dark)
    };
    let pixels = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
    let pixels: Vec<u8> = pixels.map(|(x, y)| if is_dark(x, y) { 0 } else { u8::MAX }).collect();
    let mut image = vec![];
    let mut encoder = Encoder::new(&mut image, size as u32, size as u32);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Eight);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(image)
}

#[cfg(test)]
mod tests {
    use rqrr::PreparedImage;
    use signup_core::Hours;

    use super::*;
    use crate::sample_event::sample_event;

    /// Returns the lines of a poster for an event from 6 June to `last`, whose shifts each have a day, a start and an end.
    async fn poster(last: &str, shifts: &[(u32, &str, &str)]) -> Vec<String> {
        let (_, EventWithShifts { mut event, shifts: samples, .. }) = sample_event().await;
        event.dates.last = Some(last.parse().unwrap());
        let shift = |(day, start, end): &(u32, &str, &str)| {
            let mut shift = samples[0].clone();
            shift.first_day = event.dates.first.clone();
            let hours = match end < start {
                true => Hours::overnight(start.parse().unwrap(), end.parse().unwrap()),
                false => Hours::parse(Some(start), Some(end)),
            };
            shift.shift.hours = hours.unwrap().on_day(*day).unwrap();
            shift
        };
        when(&event, &shifts.iter().map(shift).collect::<Vec<_>>())
    }

    #[tokio::test]
    async fn a_poster_has_a_line_for_each_day_only_if_the_hours_differ() {
        let (both, zone) = ("Saturday 6 to Sunday 7 June 2099", "All times are in UTC.");
        assert_eq!(poster("2099-06-07", &[]).await, [both]);
        let equal = [(1, "09:00", "12:00"), (1, "10:00", "17:00"), (2, "09:00", "17:00")];
        assert_eq!(poster("2099-06-07", &equal).await, [&format!("{both}, 09:00–17:00"), zone]);
        assert_eq!(
            poster("2099-06-07", &equal[1..]).await,
            ["Saturday 6 June 2099, 10:00–17:00", "Sunday 7 June 2099, 09:00–17:00", zone]
        );
        let many: Vec<_> =
            (1..=5).map(|day| (day, "09:00", if day == 5 { "12:00" } else { "17:00" })).collect();
        assert_eq!(poster("2099-06-10", &many).await, ["Saturday 6 to Wednesday 10 June 2099"]);
    }

    #[tokio::test]
    async fn a_poster_says_no_hours_of_days_without_shifts_and_the_morning_of_a_night() {
        let zone = "All times are in UTC.";
        let first = [(1, "09:00", "12:00")];
        assert_eq!(poster("2099-06-08", &first).await, ["Saturday 6 June 2099, 09:00–12:00", zone]);
        let nights = [(1, "09:00", "12:00"), (1, "22:00", "06:00"), (2, "09:00", "06:00")];
        assert_eq!(
            poster("2099-06-07", &nights).await,
            [
                "6 to 7 June 2099, Saturday 09:00 to Sunday 06:00",
                "7 to 8 June 2099, Sunday 09:00 to Monday 06:00",
                zone
            ]
        );
    }

    #[test]
    fn a_reader_of_qr_codes_reads_the_address_in_the_png() {
        let url = "https://signup.riverside.example/events/saturday-food-drive-at-the-river-3f9c2a";
        let png = png(&QrCode::new(url).unwrap()).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let size = reader.info().width as usize;
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let mut image = PreparedImage::prepare_from_greyscale(size, size, |x, y| pixels[y * size + x]);
        let (_, read) = image.detect_grids()[0].decode().unwrap();
        assert_eq!(read, url);
        assert!(
            pixels[..QUIET_ZONE * MODULE_PX * size].iter().all(|pixel| *pixel == u8::MAX),
            "the free space"
        );
    }

    #[test]
    fn an_address_that_no_code_can_hold_has_none() {
        assert_eq!(svg_of(&"x".repeat(3_000)), None);
        assert!(svg_of("https://example.org").is_some_and(|svg| svg.starts_with("<svg")));
    }
}
