import Engine

extension LayerFamily {
  /// Layers that read and write at places which other tensors name, or look for such places.
  public static let gathering = LayerFamily(
    "Gathering",
    [
      GatherLayer.self, GatherNDLayer.self, GatherAlongAxisLayer.self, ScatterLayer.self,
      ScatterNDLayer.self, ScatterAlongAxisLayer.self, OneHotLayer.self, WhereNonZeroLayer.self,
      WhereBroadcastableLayer.self, NonMaximumSuppressionLayer.self,
    ])
}
