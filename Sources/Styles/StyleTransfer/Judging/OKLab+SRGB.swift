import Foundation

extension OKLab {
  /// The colour as gamma-encoded samples of sRGB, 0…255. Colours outside of sRGB are clamped.
  ///
  /// **Source:** Björn Ottosson, https://bottosson.github.io/posts/oklab/, the inverse transform.
  var samples: (red: Float, green: Float, blue: Float) {
    func cube(_ value: Float) -> Float { value * value * value }
    let long: Float = cube(lightness + 0.3963377774 * a + 0.2158037573 * b)
    let medium: Float = cube(lightness - 0.1055613458 * a - 0.0638541728 * b)
    let short: Float = cube(lightness - 0.0894841775 * a - 1.2914855480 * b)
    return (
      Self.encoded(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
      Self.encoded(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
      Self.encoded(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short)
    )
  }

  /// Returns the gamma-encoded sample of a linear intensity, by IEC 61966-2-1.
  private static func encoded(_ linear: Float) -> Float {
    let inside: Float = min(1, max(0, linear))
    return 255 * (inside <= 0.0031308 ? 12.92 * inside : 1.055 * powf(inside, 1 / 2.4) - 0.055)
  }
}
