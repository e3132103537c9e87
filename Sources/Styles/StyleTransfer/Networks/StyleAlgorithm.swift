/// The kinds of networks that paint in a style.
public enum StyleAlgorithm: String, CaseIterable, Sendable, Codable {
  /// The network for photos: Johnson's residual network, which is slower and better.
  case cnn
  /// The network for live video on a CPU. Most of its layers compute a sixteenth of the pixels.
  case cnnLite

  /// The architecture of the network.
  public var architecture: StyleArchitecture {
    switch self {
    case .cnn: return .johnson
    case .cnnLite: return .lite
    }
  }
}
