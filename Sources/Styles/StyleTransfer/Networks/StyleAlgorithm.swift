/// The two networks that paint in a style.
public enum StyleAlgorithm: String, CaseIterable, Sendable, Codable {
  /// For pictures: Johnson's residual network, slow and rich.
  case cnn
  /// For live video on a processor: most of it works on a sixteenth of the pixels.
  case cnnLite

  /// How the network is built.
  public var architecture: StyleArchitecture {
    switch self {
    case .cnn: return .johnson
    case .cnnLite: return .lite
    }
  }
}
