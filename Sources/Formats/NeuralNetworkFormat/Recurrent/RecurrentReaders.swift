import Graph

extension [LayerReader] {
  /// The layers that walk along a sequence and remember.
  package static let recurrent: [LayerReader] = [
    .simpleRecurrent, .gru, .uniDirectionalLSTM, .biDirectionalLSTM,
  ]
}
