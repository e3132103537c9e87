/// A graphics processor. No type conforms to this protocol. It exists only so that code with this name compiles.
public protocol MTLDevice: AnyObject {}
