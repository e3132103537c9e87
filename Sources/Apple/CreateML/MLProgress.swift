import Foundation

/// The progress and metrics of an ``MLJob``. The job's `Progress` stores these values in its user info.
public struct MLProgress {
  /// A metric of a training.
  public enum Metric: String, Hashable, Sendable {
    case accuracy, loss, styleLoss, contentLoss, stylizedImageURL
    case validationAccuracy, validationLoss
    case maximumError, rootMeanSquaredError
    case validationMaximumError, validationRootMeanSquaredError
  }

  /// The phase of the job.
  public var phase: MLPhase
  /// The number of finished iterations.
  public var itemCount: Int = 0
  /// The total number of iterations; nil if it is not known.
  public var totalItemCount: Int?
  /// The time since the start of the job's training phase, in seconds.
  public var elapsedTime: TimeInterval = 0
  /// The latest metrics.
  public var metrics: [Metric: Any] = [:]

  /// Makes the progress at the start of a phase.
  public init(phase: MLPhase) { self.phase = phase }

  /// Reads the progress of a job. Returns nil for a `Progress` that does not belong to a job.
  public init?(progress: Progress) {
    guard let phase = progress.userInfo[Self.phaseKey] as? MLPhase else { return nil }
    self.init(phase: phase)
    itemCount = progress.userInfo[Self.itemCountKey] as? Int ?? 0
    totalItemCount = progress.userInfo[Self.totalItemCountKey] as? Int
    elapsedTime = progress.userInfo[Self.elapsedTimeKey] as? TimeInterval ?? 0
    for (metric, key) in Self.keys {
      if let value = progress.userInfo[key] { metrics[metric] = value }
    }
  }

  /// Stores this progress in a job's `Progress`.
  func store(in progress: Progress) {
    progress.totalUnitCount = Int64(totalItemCount ?? -1)
    progress.completedUnitCount = Int64(itemCount)
    progress.setUserInfoObject(phase, forKey: Self.phaseKey)
    progress.setUserInfoObject(itemCount, forKey: Self.itemCountKey)
    progress.setUserInfoObject(totalItemCount, forKey: Self.totalItemCountKey)
    progress.setUserInfoObject(elapsedTime, forKey: Self.elapsedTimeKey)
    for (metric, key) in Self.keys {
      if let value = metrics[metric] { progress.setUserInfoObject(value, forKey: key) }
    }
  }

  private static let keys: [(Metric, ProgressUserInfoKey)] = [
    (.accuracy, accuracyKey), (.loss, lossKey), (.styleLoss, styleLossKey),
    (.contentLoss, contentLossKey), (.stylizedImageURL, stylizedImageKey),
    (.validationAccuracy, validationAccuracyKey), (.validationLoss, validationLossKey),
    (.maximumError, maximumErrorKey), (.rootMeanSquaredError, rootMeanSquaredErrorKey),
    (.validationMaximumError, validationMaximumErrorKey),
    (.validationRootMeanSquaredError, validationRootMeanSquaredErrorKey),
  ]

  private static func key(_ name: String) -> ProgressUserInfoKey {
    ProgressUserInfoKey(rawValue: "com.apple.createml.\(name)")
  }

  /// The key of ``phase``.
  public static let phaseKey: ProgressUserInfoKey = key("phase")
  /// The key of ``itemCount``.
  public static let itemCountKey: ProgressUserInfoKey = key("itemCount")
  /// The key of ``totalItemCount``.
  public static let totalItemCountKey: ProgressUserInfoKey = key("totalItemCount")
  /// The key of ``elapsedTime``.
  public static let elapsedTimeKey: ProgressUserInfoKey = key("elapsedTime")
  /// The key of a classifier's accuracy.
  public static let accuracyKey: ProgressUserInfoKey = key("accuracy")
  /// The key of the loss.
  public static let lossKey: ProgressUserInfoKey = key("loss")
  /// The key of the style loss.
  public static let styleLossKey: ProgressUserInfoKey = key("styleLoss")
  /// The key of the content loss.
  public static let contentLossKey: ProgressUserInfoKey = key("contentLoss")
  /// The key of the stylised validation image, a `URL`.
  public static let stylizedImageKey: ProgressUserInfoKey = key("stylizedImageURL")
  /// The key of a classifier's accuracy on validation data.
  public static let validationAccuracyKey: ProgressUserInfoKey = key("validationAccuracy")
  /// The key of the loss on validation data.
  public static let validationLossKey: ProgressUserInfoKey = key("validationLoss")
  /// The key of a regressor's maximum error.
  public static let maximumErrorKey: ProgressUserInfoKey = key("maximumError")
  /// The key of a regressor's root mean squared error.
  public static let rootMeanSquaredErrorKey: ProgressUserInfoKey = key("rootMeanSquaredError")
  /// The key of a regressor's maximum error on validation data.
  public static let validationMaximumErrorKey: ProgressUserInfoKey = key("validationMaximumError")
  /// The key of a regressor's root mean squared error on validation data.
  public static let validationRootMeanSquaredErrorKey: ProgressUserInfoKey = key(
    "validationRootMeanSquaredError")
}
