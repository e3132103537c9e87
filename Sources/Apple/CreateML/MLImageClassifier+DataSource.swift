import Foundation

extension MLImageClassifier {
  /// A source of labelled photos.
  public enum DataSource: Sendable {
    /// A folder with one subfolder of photos for each label. The label is the name of the subfolder.
    case labeledDirectories(at: URL)
    /// A folder of photos. The label of a photo is the part of its name before the first full stop, as in `cat.1.jpg`.
    case labeledFiles(at: URL)
    /// The files of each label.
    case filesByLabel([String: [URL]])

    /// Returns a dictionary from each label to its photos.
    ///
    /// - Throws: ``MLCreateError`` when a folder cannot be read or has no photos.
    public func labeledImages() throws -> [String: [URL]] { try files().byLabel }

    /// Splits the photos into parts at random. A part gets its fraction of the photos of every label. Equal seeds give
    /// equal parts.
    ///
    /// - Parameter proportions: The fraction of the photos for each part. The sum of the fractions is at most 1.
    public func stratifiedSplit(proportions: [Double], seed: Int) throws -> [DataSource] {
      try files().split(proportions: proportions, seed: seed).map { .filesByLabel($0) }
    }

    func files() throws -> LabelledFiles {
      switch self {
      case .labeledDirectories(let folder): try LabelledFiles(directories: folder, kind: .photos)
      case .labeledFiles(let folder): try LabelledFiles(folder: folder, kind: .photos)
      case .filesByLabel(let files): try LabelledFiles(files, kind: .photos)
      }
    }
  }
}

/// How the files for validation are chosen.
public enum MLSplitStrategy: Sendable, Hashable {
  /// 10 % of the files if there are 50 or more. No files otherwise.
  case automatic
  /// A fraction of the files, chosen at random with a seed.
  case fixed(ratio: Double, seed: Int)
}
