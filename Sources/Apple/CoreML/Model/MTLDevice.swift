/// A graphics processor. Nothing here is one: the protocol exists so that code which names it
/// compiles.
public protocol MTLDevice: AnyObject {}
