/// Events during an update. Raw values are Apple's.
public struct MLUpdateProgressEvent: OptionSet, Hashable, Sendable {
  /// The bits of the events.
  public let rawValue: Int

  /// Makes a set of events from their bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The training begins.
  public static var trainingBegin: MLUpdateProgressEvent { MLUpdateProgressEvent(rawValue: 1) }
  /// An epoch has ended. An epoch is one pass over the training data.
  public static var epochEnd: MLUpdateProgressEvent { MLUpdateProgressEvent(rawValue: 2) }
  /// A mini-batch has ended. The optimiser takes one step for each mini-batch.
  public static var miniBatchEnd: MLUpdateProgressEvent { MLUpdateProgressEvent(rawValue: 4) }
}
