import Engine

extension LayerFamily {
  /// Layers that move, repeat, join, cut, resize or make values without computing with them.
  public static let shaping = LayerFamily(
    "Shaping",
    [
      PermuteLayer.self, TransposeLayer.self, ReshapeLayer.self, FlattenLayer.self,
      ReshapeStaticLayer.self, ReshapeLikeLayer.self, ReshapeDynamicLayer.self,
      RankPreservingReshapeLayer.self, ExpandDimsLayer.self, SqueezeLayer.self,
      FlattenTo2DLayer.self, ConcatLayer.self, ConcatNDLayer.self, StackLayer.self,
      SplitLayer.self, SplitNDLayer.self, SliceLayer.self, CropLayer.self, PaddingLayer.self,
      UpsampleLayer.self, ResizeBilinearLayer.self, CropResizeLayer.self,
      ReorganizeDataLayer.self, SequenceRepeatLayer.self, TileLayer.self,
      BroadcastToStaticLayer.self, BroadcastToLikeLayer.self, BroadcastToDynamicLayer.self,
      FillStaticLayer.self, FillLikeLayer.self, FillDynamicLayer.self, RangeStaticLayer.self,
      RangeDynamicLayer.self, LoadConstantLayer.self, LoadConstantNDLayer.self,
      GetShapeLayer.self, PaddingGradientLayer.self,
    ])
}
