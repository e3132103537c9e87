import Foundation

extension MLSoundClassifier {
  /// A source of labelled sounds: files that `AVAudioFile` reads.
  public enum DataSource: Sendable {
    /// A folder with one subfolder of sounds for each label. The label is the name of the subfolder.
    case labeledDirectories(at: URL)
    /// A folder of sounds. The label of a sound is the part of its name before the first full stop, as in `bell.1.wav`.
    case labeledFiles(at: URL)
    /// The files of each label.
    case filesByLabel([String: [URL]])

    /// Returns a dictionary from each label to its sounds.
    ///
    /// - Throws: ``MLCreateError`` when a folder cannot be read or has no sounds.
    public func labeledSounds() throws -> [String: [URL]] { try files().byLabel }

    /// Splits the sounds into parts at random. A part gets its fraction of the sounds of every label. Equal seeds give
    /// equal parts.
    ///
    /// - Parameter proportions: The fraction of the sounds for each part. The sum of the fractions is at most 1.
    public func stratifiedSplit(proportions: [Double], seed: Int) throws -> [DataSource] {
      try files().split(proportions: proportions, seed: seed).map { .filesByLabel($0) }
    }

    func files() throws -> LabelledFiles {
      switch self {
      case .labeledDirectories(let folder): try LabelledFiles(directories: folder, kind: .sounds)
      case .labeledFiles(let folder): try LabelledFiles(folder: folder, kind: .sounds)
      case .filesByLabel(let files): try LabelledFiles(files, kind: .sounds)
      }
    }
  }

  /// The parameters of a classifier's training.
  public struct ModelParameters: Sendable {
    /// The sounds for validation. The training does not use these sounds.
    public enum ValidationData: Sendable {
      /// A part of the training sounds.
      case split(strategy: MLSplitStrategy)
      /// Sounds from a separate source.
      case dataSource(DataSource)
      /// No sounds.
      case none
    }

    /// The sounds for validation.
    public var validation: ValidationData
    /// The maximum number of iterations of the classifier's training.
    public var maxIterations: Int
    /// The part of a window of 975 ms that it has in common with the window before it, 0 to less than 1.
    public var overlapFactor: Double

    /// Makes parameters.
    public init(
      validation: ValidationData = .split(strategy: .automatic), maxIterations: Int = 100,
      overlapFactor: Double = 0.5
    ) {
      self.validation = validation
      self.maxIterations = maxIterations
      self.overlapFactor = overlapFactor
    }
  }
}
