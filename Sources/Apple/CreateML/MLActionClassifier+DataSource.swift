import CoreML
import Foundation

extension MLActionClassifier {
  /// A source of labelled sequences of poses. Apple's framework takes films instead; here,
  /// `VNDetectHumanBodyPoseRequest` finds the poses in frames.
  public enum DataSource {
    /// The sequences of each label, `[frames, 3, points]` each.
    case posesByLabel([String: [MLMultiArray]])
    /// A folder with one subfolder for each label. Its JSON files are sequences: an array of frames, each of which is an
    /// array of three arrays: the horizontal coordinates, the vertical coordinates and the confidences of the points.
    case labeledDirectories(at: URL)

    func sequences() throws -> [String: [PoseSequence]] {
      switch self {
      case .posesByLabel(let arrays):
        return try arrays.filter { !$0.value.isEmpty }.mapValues { try $0.map(PoseSequence.init) }
      case .labeledDirectories(let folder):
        return try LabelledFiles(directories: folder, kind: .poses).byLabel.mapValues {
          try $0.map(PoseSequence.init(contentsOf:))
        }
      }
    }
  }

  /// The parameters of a classifier's training.
  public struct ModelParameters {
    /// The sequences for validation.
    public enum ValidationData {
      /// Sequences from a separate source.
      case dataSource(DataSource)
      /// No sequences.
      case none
    }

    /// The sequences for validation.
    public var validation: ValidationData
    /// The number of times that the training uses every window.
    public var maximumIterations: Int
    /// The number of frames of a window.
    public var predictionWindowSize: Int
    /// The seed of the first weights and of the order of windows. Not in Apple's framework.
    public var randomSeed: Int

    /// Makes parameters.
    public init(
      validation: ValidationData = .none, maximumIterations: Int = 80,
      predictionWindowSize: Int = 60, randomSeed: Int = 0
    ) {
      self.validation = validation
      self.maximumIterations = maximumIterations
      self.predictionWindowSize = predictionWindowSize
      self.randomSeed = randomSeed
    }
  }
}

/// A sequence of poses.
struct PoseSequence {
  /// A pose has horizontal coordinates, vertical coordinates and confidences.
  static let coordinates = 3

  /// The location of the sequence, for reports.
  let source: String
  /// The number of points of each pose.
  let points: Int
  /// The poses in row-major order, `[frames, 3, points]`.
  private let values: [Float]

  private var frameLength: Int { Self.coordinates * points }

  init(_ array: MLMultiArray) throws {
    let shape: [Int] = array.shape.map(\.intValue)
    guard shape.count == 3, shape[1] == Self.coordinates, shape.allSatisfy({ $0 > 0 }) else {
      throw MLCreateError.type(
        reason: "A sequence of poses has the shape \(shape), expected [frames, 3, points].")
    }
    source = "array"
    points = shape[2]
    values = (0..<array.count).map { array[$0].floatValue }
    guard values.allSatisfy(\.isFinite) else {
      throw MLCreateError.generic(
        reason: "A sequence of poses has a coordinate that is infinite or not a number.")
    }
  }

  init(contentsOf file: URL) throws {
    let frames: [[[Float]]]
    do {
      frames = try JSONDecoder().decode([[[Float]]].self, from: Data(contentsOf: file))
    } catch {
      throw MLCreateError.io(
        reason:
          "The poses '\(file.path)' cannot be read, expected a JSON array of frames, each with"
          + " three arrays of numbers.")
    }
    let points: Int = frames.first?.first?.count ?? 0
    guard points > 0,
      frames.allSatisfy({
        $0.count == Self.coordinates && $0.allSatisfy { $0.count == points }
      })
    else {
      throw MLCreateError.io(
        reason: "The poses '\(file.path)' do not have three arrays of equal length in each frame.")
    }
    source = file.path
    self.points = points
    values = frames.flatMap { $0.flatMap { $0 } }
  }

  /// Cuts the sequence into windows, which begin every half window. The last window ends with the last frame. A sequence
  /// that is shorter than a window repeats its last frame.
  ///
  /// - Throws: ``MLCreateError`` if a pose does not have this number of points.
  func windows(frames: Int, points: Int) throws -> [[Float]] {
    guard points == self.points else {
      throw MLCreateError.type(
        reason: "The poses of a sequence (\(source)) have \(self.points) points, expected \(points)"
          + " as in the first sequence.")
    }
    let count: Int = values.count / frameLength
    guard count > frames else {
      let repeated: [Float] = Array(values.suffix(frameLength))
      return [values + (count..<frames).flatMap { _ in repeated }]
    }
    let last: Int = count - frames
    var starts: [Int] = Array(stride(from: 0, through: last, by: max(1, frames / 2)))
    if starts.last != last { starts.append(last) }
    return starts.map {
      Array(values[($0 * frameLength)..<(($0 + frames) * frameLength)])
    }
  }
}
