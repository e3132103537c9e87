import Graph

extension OperatorFamily {
  /// Operators that move, repeat, concatenate, split, resize or generate values without computing with them.
  public static let shaping = OperatorFamily(
    "Shaping",
    [
      PermuteOperator.self, TransposeOperator.self, ReshapeOperator.self, FlattenOperator.self,
      ReshapeStaticOperator.self, ReshapeLikeOperator.self, ReshapeDynamicOperator.self,
      RankPreservingReshapeOperator.self, ExpandDimsOperator.self, SqueezeOperator.self,
      FlattenTo2DOperator.self, ConcatOperator.self, ConcatNDOperator.self, StackOperator.self,
      SplitOperator.self, SplitNDOperator.self, SliceOperator.self, CropOperator.self,
      PaddingOperator.self,
      PadAxesOperator.self, UpsampleOperator.self, ResizeBilinearOperator.self,
      ResizeOperator.self, CropResizeOperator.self, ResampleOperator.self,
      ReorganizeDataOperator.self, SequenceRepeatOperator.self, TileOperator.self,
      BroadcastToStaticOperator.self, BroadcastToLikeOperator.self, BroadcastToDynamicOperator.self,
      FillStaticOperator.self, FillLikeOperator.self, FillDynamicOperator.self,
      RangeStaticOperator.self,
      RangeDynamicOperator.self,
      ConstantOperator.self, GetShapeOperator.self, PaddingGradientOperator.self,
      FoldWindowsOperator.self,
    ])
}
