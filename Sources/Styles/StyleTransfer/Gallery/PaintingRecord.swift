import Foundation

/// A painting that the gallery is trained from: a line of `Gallery/paintings.tsv`.
///
/// The columns are separated by tabs: the style's name, the file, the title, the painter, the year,
/// the collection that the file comes from; then what the training script reads. Lines that start
/// with `#` are left out.
public struct PaintingRecord: Sendable, Equatable {
  /// The style's name.
  public let name: String
  /// The file's name in its collection.
  public let file: String
  /// The title.
  public let title: String
  /// The painter.
  public let painter: String
  /// The year.
  public let year: String
  /// Where the file was found.
  public let collection: String

  /// The lines of a table.
  public static func table(_ text: String, name: String = "paintings.tsv") throws
    -> [PaintingRecord]
  {
    try text.split(separator: "\n").enumerated().compactMap { number, line in
      guard !line.hasPrefix("#") else { return nil }
      let columns: [String] = line.split(separator: "\t", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard columns.count >= 6 else {
        throw StyleTransferError(
          .file,
          "Table '\(name)', line \(number + 1): \(columns.count) columns, expected at least 6"
            + " with tabs between them.")
      }
      return PaintingRecord(
        name: columns[0], file: columns[1], title: columns[2], painter: columns[3],
        year: columns[4], collection: columns[5])
    }
  }
}
