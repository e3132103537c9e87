import Graph

extension [LayerReader] {
  /// The recurrent layers.
  package static let recurrent: [LayerReader] = [
    .simpleRecurrent, .gru, .uniDirectionalLSTM, .biDirectionalLSTM,
  ]
}
