/// What happens during an update. Raw values are Apple's.
public struct MLUpdateProgressEvent: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Events by their bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Before the first step.
  public static var trainingBegin: MLUpdateProgressEvent { MLUpdateProgressEvent(rawValue: 1) }
  /// After every pass over the training data.
  public static var epochEnd: MLUpdateProgressEvent { MLUpdateProgressEvent(rawValue: 2) }
  /// After every step.
  public static var miniBatchEnd: MLUpdateProgressEvent { MLUpdateProgressEvent(rawValue: 4) }
}
