//! The style of the pages: one sheet of tokens, one stylesheet, and a palette for each theme, in light and in dark.
//!
//! Each page contains the stylesheet and the icon, so a browser loads a page with one request. A redirect contains neither.
//! The content security policy contains the digest of the stylesheet, so a browser applies no other style. The policy allows
//! no image from another URL.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use signup_core::{Digest, Event, Theme};
use warp::http::HeaderValue;

/// The colours of a theme. The contrast of text is at least 4.5 to 1 (WCAG 2.2, 1.4.3).
struct Palette {
    theme: Theme,
    /// The colours of the gradient at the top of the page, under white text.
    band: [&'static str; 2],
    /// The colour of links and buttons on a light page. The text of a button is white.
    light: &'static str,
    /// The colour of links and buttons on a dark page. The text of a button is nearly black.
    dark: &'static str,
}

const PALETTES: [Palette; 8] = [
    Palette { theme: Theme::PurpleIndigo, band: ["#6b21a8", "#3730a3"], light: "#5b21b6", dark: "#c4b5fd" },
    Palette { theme: Theme::OceanBlue, band: ["#075985", "#1e40af"], light: "#075985", dark: "#7dd3fc" },
    Palette { theme: Theme::SunsetOrange, band: ["#9a3412", "#b91c1c"], light: "#9a3412", dark: "#fdba74" },
    Palette { theme: Theme::ForestGreen, band: ["#166534", "#115e59"], light: "#166534", dark: "#86efac" },
    Palette { theme: Theme::RosePink, band: ["#9d174d", "#be123c"], light: "#9d174d", dark: "#f9a8d4" },
    Palette { theme: Theme::SlateCharcoal, band: ["#334155", "#111827"], light: "#334155", dark: "#cbd5e1" },
    Palette { theme: Theme::GoldenHour, band: ["#854d0e", "#9a3412"], light: "#854d0e", dark: "#fcd34d" },
    Palette { theme: Theme::Midnight, band: ["#1e1b4b", "#172554"], light: "#312e81", dark: "#a5b4fc" },
];

/// The theme of a page without an event, or whose event has no theme.
pub(crate) const DEFAULT_THEME: Theme = Theme::ForestGreen;

/// The tokens: the colours, the type scale, the spacing and the corners of the pages and the mails.
const TOKENS: &str = include_str!("tokens.css");

/// The stylesheet of every page except redirects.
pub(crate) static STYLESHEET: LazyLock<String> = LazyLock::new(|| {
    let mut sheet = TOKENS.to_owned() + include_str!("style.css");
    for Palette { theme, band: [from, to], light, dark } in PALETTES {
        let name = theme.name();
        sheet.push_str(&format!(
            "[data-theme={name}]{{--band-from:{from};--band-to:{to};--accent:{light}}}\n\
             @media(prefers-color-scheme:dark){{[data-theme={name}]{{--accent:{dark}}}}}\n"
        ));
    }
    sheet
});

/// Returns the values of a token, such as `muted`, in light and in dark. A length has one value.
fn values(token: &str) -> impl Iterator<Item = &'static str> {
    let start = format!("--{token}: ");
    let after =
        TOKENS.match_indices(&start).map(|(at, start)| &TOKENS[at + start.len()..]).collect::<Vec<_>>();
    after.into_iter().filter_map(|rest| Some(rest.split_once(';')?.0))
}

/// Returns the value of a token for a mail, whose styles name no variables: a colour of the light scheme, or a length in pixels.
pub(crate) fn token(name: &str) -> String {
    let value = values(name).next().unwrap_or_default();
    let rem = value.strip_suffix("rem").and_then(|number| number.parse::<f64>().ok());
    rem.map_or_else(|| value.to_owned(), |rem| format!("{}px", rem * 16.0))
}

/// The icon of the pages.
pub(crate) const ICON: &str = include_str!("icon.svg");

/// The icon as a URL.
pub(crate) static ICON_URL: LazyLock<String> =
    LazyLock::new(|| format!("data:image/svg+xml;base64,{}", STANDARD.encode(ICON.trim_end())));

/// The content security policy: allows only the stylesheet, the icon, and forms to the page's own origin.
pub(crate) static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let digest = STANDARD.encode(Digest::of(&STYLESHEET).as_bytes());
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{digest}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    // Cannot fail, because Base64 is visible ASCII. The fallback allows no style at all.
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

/// Returns the theme of the pages about an event. That of a cancelled event is muted, whatever its own theme is.
pub(crate) fn theme_of(event: &Event) -> Theme {
    if event.is_cancelled() { Theme::SlateCharcoal } else { event.theme.unwrap_or(DEFAULT_THEME) }
}

/// Returns the colour of a theme for the browser's own user interface (`theme-color`).
pub(crate) fn band(theme: Theme) -> &'static str {
    PALETTES.iter().find(|palette| palette.theme == theme).map_or("#166534", |palette| palette.band[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance of a colour such as `#535a68` (WCAG 2.2).
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn assert_readable(text: &str, ground: &str, what: &str) {
        let contrast = contrast(text, ground);
        assert!(contrast >= 4.5, "{what}: {text} on {ground} has {contrast:.2}");
    }

    /// Returns a colour of the tokens in light and in dark.
    fn colour(name: &str) -> [&'static str; 2] {
        values(name).collect::<Vec<_>>().try_into().unwrap()
    }

    /// What text stands on.
    fn grounds() -> [[&'static str; 2]; 3] {
        ["page", "card", "target"].map(colour)
    }

    #[test]
    fn every_theme_has_one_palette_with_readable_text() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 0.01);
        for &theme in Theme::ALL {
            assert_eq!(PALETTES.iter().filter(|palette| palette.theme == theme).count(), 1, "{theme}");
        }
        let on_accent = colour("on-accent");
        for Palette { theme, band, light, dark } in PALETTES {
            for colour in band {
                assert_readable("#ffffff", colour, theme.name());
            }
            for (scheme, accent) in [light, dark].into_iter().enumerate() {
                for ground in grounds() {
                    assert_readable(accent, ground[scheme], theme.name());
                }
                assert_readable(on_accent[scheme], accent, theme.name());
            }
        }
    }

    #[test]
    fn text_and_outlines_are_readable_in_light_and_dark() {
        for scheme in [0, 1] {
            for ground in grounds() {
                let contrast = contrast(colour("control")[scheme], ground[scheme]);
                assert!(contrast >= 3.0, "an outline on {} has {contrast:.2}", ground[scheme]);
                for text in ["ink", "muted", "error"] {
                    assert_readable(colour(text)[scheme], ground[scheme], text);
                }
            }
            for kind in ["error", "good", "warn"] {
                let ground = colour(&format!("{kind}-page"))[scheme];
                assert_readable(colour(kind)[scheme], ground, kind);
                assert_readable(colour("ink")[scheme], ground, kind);
            }
        }
    }

    #[test]
    fn a_mail_has_the_colours_of_the_light_scheme_and_lengths_in_pixels() {
        assert_eq!(
            (token("card"), token("apart"), token("small")),
            ("#ffffff".into(), "24px".into(), "14.4px".into())
        );
        let standard = PALETTES.iter().find(|palette| palette.theme == DEFAULT_THEME).unwrap();
        assert_eq!(values("accent").collect::<Vec<_>>(), [standard.light, standard.dark]);
    }
}
