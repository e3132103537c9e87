import CVips
import Foundation

/// The damage of a JPEG that libvips refuses to decode in strict mode.
///
/// Cameras, phones and old programs write JPEGs with faults that affect no pixels, or only pixels of the last rows.
/// Every viewer shows these files, so they are accepted. A file that is truncated or damaged before its last rows is
/// refused, because a visible part of the picture is lost.
struct JPEGDamage {
  private let report: CVipsJPEGReport

  /// A picture is accepted if damage begins within the last 1/`slightShare` of its rows.
  private static let slightShare: Int = 32

  /// Examines a file. Returns nil if it is no JPEG, or its header cannot be read.
  init?(_ source: PictureSource) throws {
    let bytes: Data
    switch source.place {
    case .memory(let data): bytes = data
    case .file(let path):
      guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return nil }
      bytes = data
    }
    guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
    report = bytes.withUnsafeBytes { cvips_examine_jpeg($0.baseAddress, $0.count) }
    guard report.height > 0 else { return nil }
  }

  /// Whether the damage is small enough to accept the picture.
  var isSlight: Bool {
    let (row, rows) = (Int(report.damaged_row), Int(report.height))
    if row < 0 { return true }
    return report.ends_early == 0 && row >= rows - rows / Self.slightShare
  }

  /// Returns the error for a file that is refused.
  func error(_ name: String) -> ImagingError {
    let words: String = withUnsafeBytes(of: report.words) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let row = Int(report.damaged_row)
    let what: String = report.ends_early != 0 ? "is truncated" : "is damaged"
    let place: String = row > 0 ? " from row \(row) of \(report.height)" : ""
    return ImagingError(
      code: .notAPicture,
      message: "Picture '\(name)': the file \(what)\(place) (\(words)). Copy it again from its"
        + " source.")
  }
}
