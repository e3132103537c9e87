import Engine

extension LayerFamily {
  /// Layers that decide which layers run, and copies that overwrite what they decide by.
  public static let controlFlow = LayerFamily(
    "ControlFlow",
    [
      CopyLayer.self, BranchLayer.self, LoopLayer.self, LoopBreakLayer.self, LoopContinueLayer.self,
    ])
}
