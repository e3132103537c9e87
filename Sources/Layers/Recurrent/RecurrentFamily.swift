import Engine

extension LayerFamily {
  /// Layers that walk along a sequence and remember.
  public static let recurrent = LayerFamily(
    "Recurrent",
    [
      SimpleRecurrentLayer.self, GRULayer.self, UniDirectionalLSTMLayer.self,
      BiDirectionalLSTMLayer.self,
    ])
}
