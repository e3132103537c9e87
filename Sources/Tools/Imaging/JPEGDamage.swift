import CVips
import Foundation

/// What is wrong with a JPEG that libvips would not decode strictly.
///
/// Cameras, phones and old programs write JPEGs with faults that cost no pixels, or only those of the last
/// rows, and every viewer shows them. A file that was cut off on its way can be copied again, and a
/// picture that is damaged further up is not what was photographed: these are refused.
struct JPEGDamage {
  private let report: CVipsJPEGReport

  /// The part of the rows, at the bottom, that may be damaged.
  private static let slightShare: Int = 32

  /// Examines a file; nil where it is no JPEG, or its header cannot be read.
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

  /// Whether the picture is to be shown as it is.
  var isSlight: Bool {
    let (row, rows) = (Int(report.damaged_row), Int(report.height))
    if row < 0 { return true }
    return report.ends_early == 0 && row >= rows - rows / Self.slightShare
  }

  /// The refusal of a file.
  func error(_ name: String) -> ImagingError {
    let words: String = withUnsafeBytes(of: report.words) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let row = Int(report.damaged_row)
    let what: String = report.ends_early != 0 ? "is cut off" : "is damaged"
    let place: String = row > 0 ? " from row \(row) of \(report.height) on" : ""
    return ImagingError(
      code: .notAPicture,
      message: "Picture '\(name)': the file \(what)\(place) (\(words)). Copy it again from where it"
        + " came.")
  }
}
